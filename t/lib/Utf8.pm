
# UTF-8: the calls on the cases of utf8_cases.py, each with what Python says; and
# what encoding code points equals in plain SQL.

package Utf8;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(encoding_calls utf8_tables utf8_calls);

# The expected UTF-8 of the array "points".
sub encoding_calls
{
	my $valid = 'x BETWEEN 0 AND 1114111 AND x NOT BETWEEN 55296 AND 57343';
	my $from = 'FROM unnest(points) WITH ORDINALITY AS u (x, i)';
	my $bytes = qq(coalesce((SELECT string_agg(
		CASE WHEN x = 0 THEN '\\x00' WHEN $valid THEN convert_to(chr(x), 'UTF8')
			 ELSE '%s' END, '' ORDER BY i) $from), ''));
	my $error = q(convert_to(convert_from('\xff', 'UTF8'), 'UTF8'));

	return map { { call => $_->[0], idiom => $_->[1], exact => 1, own => 1, shaped => 1 } } (
		[ "gpu_utf8_encode(points, 'replace')", sprintf($bytes, '\xefbfbd') ],
		[ "gpu_utf8_encode(points, 'skip')", sprintf($bytes, '') ],
		[ 'gpu_utf8_encode(points)',
		  "CASE WHEN EXISTS (SELECT $from WHERE NOT ($valid)) THEN $error
				ELSE " . sprintf($bytes, '') . ' END' ],
		[ "gpu_utf8_decode(gpu_utf8_repair(gpu_utf8_encode(points, 'skip'), 'skip'))",
		  "ARRAY(SELECT x $from WHERE $valid AND x <> 0 ORDER BY i)" ]);
}

# SQL that makes the table "cases" for the rows of utf8_cases.py, and functions
# that utf8_calls() calls.
sub utf8_tables
{
	return q(
		-- where decoding fails, or NULL
		CREATE FUNCTION failure(bytes bytea) RETURNS integer LANGUAGE plpgsql AS
		$$
		DECLARE
			detail text;
		BEGIN
			PERFORM gpu_utf8_decode(bytes);
			RETURN NULL;
		EXCEPTION WHEN character_not_in_repertoire THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
			RETURN substring(detail, '\d+');
		END $$;

		-- bytes without zeros, which are invalid where a text is made
		CREATE FUNCTION no_zeros(bytes bytea, instead bytea) RETURNS bytea
		LANGUAGE sql IMMUTABLE AS
		$$
			SELECT decode(coalesce(string_agg(CASE pair[1]
											  WHEN '00' THEN encode(instead, 'hex')
											  ELSE pair[1] END, ''), ''), 'hex')
			FROM regexp_matches(encode(bytes, 'hex'), '..', 'g') AS pair
		$$;

		CREATE UNLOGGED TABLE cases (label text, bytes bytea, strict integer,
			points integer[], replaced bytea, skipped bytea, offsets integer[],
			lengths integer[],
			replaced_text bytea GENERATED ALWAYS AS (
				CASE WHEN length(bytes) < 100000 THEN no_zeros(replaced, '\xefbfbd') END) STORED,
			skipped_text bytea GENERATED ALWAYS AS (
				CASE WHEN length(bytes) < 100000 THEN no_zeros(skipped, '') END) STORED););
}

# The calls on these cases: each with what Python says, and for which cases.
sub utf8_calls
{
	my @calls = (
		[ 'gpu_utf8_is_valid(bytes)', 'strict IS NULL', 'true' ],
		[ 'failure(bytes)', 'strict', 'true' ],
		[ q{gpu_utf8_decode(bytes, 'replace')}, 'points', 'points IS NOT NULL' ],
		[ q{gpu_utf8_encode(gpu_utf8_decode(bytes, 'replace'))}, 'replaced',
			'true' ],
		[ q{gpu_utf8_encode(gpu_utf8_decode(bytes, 'skip'))}, 'skipped',
			'true' ],
		[ q{convert_to(gpu_utf8_repair(bytes), 'UTF8')}, 'replaced_text',
			'length(bytes) < 100000' ],
		[ q{convert_to(gpu_utf8_repair(bytes, 'skip'), 'UTF8')}, 'skipped_text',
			'length(bytes) < 100000' ],
		[ 'ARRAY(SELECT byte_offset FROM gpu_utf8_errors(bytes))', 'offsets',
			'true' ],
		[ 'ARRAY(SELECT length FROM gpu_utf8_errors(bytes))', 'lengths',
			'true' ]);
	return @calls;
}

1;
