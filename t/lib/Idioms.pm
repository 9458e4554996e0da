
# The calls that tests make of each function on arrays of any type, and the plain
# SQL that each equals: its idiom.  Nothing here needs the modules of PostgreSQL's
# tests.

package Idioms;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Idioms::Elements;
use Idioms::Numbers;
use Idioms::Order;

our @EXPORT = qw(idiom_functions outcome_function calls_on overflowing_calls
  differs);

# SQL that makes the functions that the idioms call: operators as aggregates, as
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
			columns integer := array_length(a, 2);
		BEGIN
			IF core = '{}' OR array_dims(core) = array_dims(a) THEN
				RETURN core;
			END IF;
			IF array_ndims(a) = 2 THEN
				core := (SELECT array_agg(core[(row - 1) * columns + 1 :
											   row * columns] ORDER BY row)
						 FROM generate_series(1, array_length(a, 1)) AS row);
			END IF;
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

		-- Largest triangle, three buckets.
		CREATE FUNCTION triangles(a anyarray, n integer)
		RETURNS integer[] STRICT LANGUAGE plpgsql AS $$
		DECLARE
			x float8[] := ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (v, i)
								WHERE v IS NOT NULL ORDER BY i);
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
				RETURN x;
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
			RETURN ARRAY(SELECT x[k] FROM unnest(chosen || count::integer)
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

# The calls for a type, on arrays "a", "b", "mask", "s" and "p": each with its
# idiom; whether it is to be compared byte for byte (which of several equal
# elements is there, of 0 and -0, say, plain SQL does not say either); and
# whether it takes an array of several dimensions.
sub calls_on
{
	my ($type) = @_;
	my $exact = !is_float($type);
	my @calls = (
		compact_calls($type),
		comparison_calls($type),
		choice_calls(),
		interpolate_calls($type),
		sort_calls($type, $exact),
		distinct_calls($type, $exact),
		percentile_calls('disc', $exact),
		top_calls($exact),
		rank_calls($type),
		set_calls($type, $exact),
		fill_calls($type),
		bucket_calls($type),
		rows_calls($type, $exact),
		group_calls($type, $exact),
		extreme_calls($type, $exact));

	push @calls, bytes_calls($type) if is_number($type) || $type eq 'boolean';
	push @calls, time_calls($type) if $type =~ /date|time/;
	return @calls unless is_number($type);

	return (
		@calls,
		element_calls($type),
		percentile_calls('cont', 0),
		histogram_calls($type),
		sum_calls($type),
		downsample_calls(),
		stats_calls($type),
		pair_calls($type),
		number_calls($type, $exact));
}

# Calls for a type of numbers that fail on some arrays, and their idioms, which
# fail on the same ones; and whether several dimensions are an error.  (The sums of floats have an order of their own.)
sub overflowing_calls
{
	my ($type, $array) = @_;
	my $from = "FROM unnest($array) WITH ORDINALITY AS u (x, i)";
	my @calls = (
		[ "gpu_delta($array)",
		  "moved(ARRAY(SELECT CASE i WHEN 1 THEN x
							  ELSE x - lag(x) OVER (ORDER BY i) END
					   $from ORDER BY i), $array)" ],
		[ "gpu_delta($array, 5)",
		  "moved(ARRAY(SELECT CASE WHEN i <= 5 THEN x
							  ELSE x - lag(x, 5) OVER (ORDER BY i) END
					   $from ORDER BY i), $array)" ],
		overflowing_element_calls($type, $array));

	return @calls if is_float($type);
	foreach my $operator ([ '+', 'total' ], [ '*', 'product' ])
	{
		my ($op, $aggregate) = @$operator;

		push @calls,
		  [ "gpu_scan($array, '$op')",
			"moved(ARRAY(SELECT $aggregate(x) OVER (ORDER BY i) $from ORDER BY i),
				   $array)" ],
		  [ "gpu_reduce($array, '$op')", "(SELECT $aggregate(x ORDER BY i) $from)" ];
	}
	foreach my $operator ([ '+', 'total' ], [ '*', 'product' ])
	{
		my ($op, $aggregate) = @$operator;

		push @calls,
		  [ "(SELECT g.values FROM gpu_group(ARRAY(
				SELECT mod(i, 2) FROM generate_series(1, cardinality($array)) AS i),
				$array, '$op') AS g)",
			"ARRAY(SELECT $aggregate(x ORDER BY i) $from GROUP BY mod(i, 2) ORDER BY mod(i, 2))",
			'list' ];
	}
	push @calls,
	  [ "gpu_window($array, '+', $_)", window_idiom($array, 'sum', $type, $_), 'list' ]
	  foreach '0', '1', '20, 5';
	push @calls,
	  [ "(SELECT gpu_sum_agg(v) FROM (VALUES ($array), ($array)) AS r (v))",
		"ARRAY(SELECT sum(x)::bigint
			   FROM (VALUES ($array), ($array)) AS r (v),
					unnest(v) WITH ORDINALITY AS u (x, i)
			   GROUP BY i ORDER BY i)", 'list' ],
	  [ "gpu_prefix_sum($array)",
		"moved(ARRAY(SELECT total(x::bigint) OVER (ORDER BY i) $from ORDER BY i),
			   $array)" ];
	return @calls;
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
