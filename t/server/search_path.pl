
# The owner of a database, who is no superuser, may have put functions,
# operators and casts into it that match a call better than core's do.  None of
# them is called when a superuser creates or updates the extension.

use lib 't/lib';

use Gpucompact;

my $node = new_server('search_path');

$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

# What a decoy does, no matter who calls it.
my $trap = q(
	LANGUAGE plpgsql AS $$
	BEGIN
		IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
			ALTER ROLE owner SUPERUSER;
		END IF;
		RETURN NULL;
	END $$;
);

# A database full of them.
sub create_database
{
	my ($name) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	$node->safe_psql(
		$name, qq(
		SET ROLE owner;
		CREATE SCHEMA IF NOT EXISTS public;
		CREATE FUNCTION public.format(text, text) RETURNS text $trap
		CREATE FUNCTION public.format(text, text, text) RETURNS text $trap
		CREATE FUNCTION public.quote_ident(varchar) RETURNS text $trap
		CREATE FUNCTION public.concat(text, text) RETURNS text $trap
		CREATE FUNCTION public.replace(varchar, varchar, varchar)
			RETURNS text $trap
		CREATE FUNCTION public.joined(varchar, varchar) RETURNS text $trap
		CREATE FUNCTION public.same(varchar, varchar) RETURNS boolean $trap
		CREATE OPERATOR public.|| (FUNCTION = public.joined,
			LEFTARG = varchar, RIGHTARG = varchar);
		CREATE OPERATOR public.= (FUNCTION = public.same,
			LEFTARG = varchar, RIGHTARG = varchar);
		CREATE TYPE public.flag AS ENUM ('t', 'f');
		CREATE FUNCTION public.to_flag(boolean) RETURNS public.flag $trap
		CREATE CAST (boolean AS public.flag) WITH FUNCTION public.to_flag
			AS IMPLICIT;
		CREATE DOMAIN public.text AS integer;
		CREATE DOMAIN public.bytea AS integer;));
	return;
}

sub not_trapped
{
	my ($name) = @_;

	is($node->safe_psql('postgres', q(SELECT rolsuper FROM pg_roles WHERE rolname = 'owner')),
		'f',
		$name);
	return;
}

create_database('creates');
$node->safe_psql('creates', 'CREATE EXTENSION gpucompact SCHEMA public');
not_trapped('CREATE EXTENSION calls none of them');
is($node->safe_psql('creates', q(SELECT gpu_compact(ARRAY[1,0,2]))),
	'{1,2}', 'and what it creates works');

# The trap does work, for one who calls it.
$node->safe_psql(
	'creates', q(
	BEGIN;
	SELECT public.format('a'::pg_catalog.text, 'b', 'c');
	DO $$ BEGIN ASSERT (SELECT rolsuper FROM pg_roles WHERE rolname = 'owner');
	END $$;
	ROLLBACK;));

# Each way to a later version.
my @paths = split(
	/\n/,
	$node->safe_psql('postgres', q(
		SELECT source || ' ' || target
		FROM pg_extension_update_paths('gpucompact') WHERE path IS NOT NULL)));
foreach my $path (@paths)
{
	my ($source, $target) = split(/ /, $path);
	my $name = "updates_$source" =~ s/\W/_/gr;

	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $name");
	create_database($name);
	$node->safe_psql($name, "CREATE EXTENSION gpucompact SCHEMA public VERSION '$source'");
	$node->safe_psql($name, "ALTER EXTENSION gpucompact UPDATE TO '$target'");
	not_trapped("nor does ALTER EXTENSION UPDATE from $source to $target");
}

survived($node);
done_testing();
