
# Functions in SQL that the plain SQL of the calls in Calls.pm calls, and how answers
# are compared with it.  Nothing here needs the modules of PostgreSQL's tests.

package Idioms;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(idiom_functions outcome_function differs);

# SQL that makes these functions: operators as aggregates, as
# anyone would make them (the results of sum() are of another type); and one
# that gives the answer of plain SQL the bounds of an array.
sub idiom_functions
{
	my %prefix = (
		'smallint' => 'int2',
		'integer' => 'int4',
		'bigint' => 'int8',
		'real' => 'float4',
		'double precision' => 'float8');
	my $sql = q(
		CREATE FUNCTION moved(core anyarray, a anycompatiblearray)
		RETURNS anyarray LANGUAGE plpgsql AS $$
		DECLARE
			n integer;
		BEGIN
			IF core = '{}' OR array_dims(core) = array_dims(a) THEN
				RETURN core;
			END IF;
			FOR d IN REVERSE array_ndims(a) .. 2 LOOP
				n := array_length(a, d);
				core := (SELECT array_agg(core[(row - 1) * n + 1 : row * n] ORDER BY row)
						 FROM generate_series(1, array_length(core, 1) / n) AS row);
			END LOOP;
			RETURN format('%s=%s', array_dims(a), core);
		END $$;
		CREATE FUNCTION reversed(bytes bytea) RETURNS bytea LANGUAGE sql AS $$
			SELECT string_agg(substr(bytes, at, 1), '' ORDER BY at DESC)
			FROM generate_series(1, length(bytes)) AS at $$;

		-- Extremes of types for which core has no aggregates.
		CREATE FUNCTION lesser(anyelement, anyelement) RETURNS anyelement
		LANGUAGE sql IMMUTABLE STRICT AS 'SELECT least($1, $2)';
		CREATE FUNCTION greater(anyelement, anyelement) RETURNS anyelement
		LANGUAGE sql IMMUTABLE STRICT AS 'SELECT greatest($1, $2)';
		CREATE AGGREGATE lowest(anyelement) (sfunc = lesser, stype = anyelement);
		CREATE AGGREGATE highest(anyelement) (sfunc = greater, stype = anyelement);

		-- Largest triangle, three buckets; the x are positions, or in an array.
		CREATE FUNCTION triangles(a anyarray, n integer, at float8[] DEFAULT '{}')
		RETURNS integer[] STRICT LANGUAGE plpgsql AS $$
		DECLARE
			places integer[] := ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (v, i)
									  WHERE v IS NOT NULL ORDER BY i);
			x float8[] := ARRAY(SELECT CASE at WHEN '{}' THEN i ELSE at[i] - at[places[1]] END
								FROM unnest(places) AS i);
			y float8[] := ARRAY(SELECT v FROM unnest(a) WITH ORDINALITY AS u (v, i)
								WHERE v IS NOT NULL ORDER BY i);
			count bigint := cardinality(x);
			chosen integer[] := '{1}';
			p integer := 1;
			begins bigint;		-- a bucket, the next one, and that one's end
			next bigint;
			ends bigint;
			cx float8;
			cy float8;
		BEGIN
			IF count <= n THEN
				RETURN places;
			END IF;
			FOR bucket IN 0 .. n - 3 LOOP
				begins := 2 + bucket * (count - 2) / (n - 2);
				next := 2 + (bucket + 1) * (count - 2) / (n - 2);
				ends := CASE bucket WHEN n - 3 THEN count
									ELSE 1 + (bucket + 2) * (count - 2) / (n - 2) END;
				SELECT sum(x[k] ORDER BY k) / count(*), sum(y[k] ORDER BY k) / count(*)
				FROM generate_series(next, ends) AS k INTO cx, cy;
				SELECT k FROM generate_series(begins, next - 1) AS k
				ORDER BY abs((x[p] - cx) * (y[k] - y[p]) - (x[p] - x[k]) * (cy - y[p])) DESC,
						 k
				LIMIT 1 INTO p;
				chosen := chosen || p;
			END LOOP;
			RETURN ARRAY(SELECT places[k] FROM unnest(chosen || count::integer)
						 WITH ORDINALITY AS u (k, j) ORDER BY j);
		END $$;);

	$sql .= qq(
		CREATE AGGREGATE total($_) (sfunc = $prefix{$_}pl, stype = $_);
		CREATE AGGREGATE product($_) (sfunc = $prefix{$_}mul, stype = $_);)
	  foreach sort keys %prefix;
	return $sql;
}

# SQL that makes a function for what a query comes to: its result, or how it fails,
# by an expression of PL/pgSQL.
sub outcome_function
{
	my ($failure) = @_;

	return qq(
		CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS \$\$
		DECLARE
			result text;
		BEGIN
			EXECUTE query INTO result;
			RETURN result;
		EXCEPTION WHEN OTHERS THEN
			RETURN $failure;
		END \$\$;);
}

# The condition that the answer "got" differs from that of plain SQL, "core".
sub differs
{
	my ($exact) = @_;

	return $exact
	  ? 'NOT record_image_eq(ROW(got), ROW(core))'
	  : "(got IS DISTINCT FROM core OR
		  pg_column_size(got || '{}') <> pg_column_size(core || '{}'))";
}

1;
