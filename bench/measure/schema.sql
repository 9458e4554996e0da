-- What the measurements need in the database; the schema goes away at the end.

DROP SCHEMA IF EXISTS gpucompact_bench CASCADE;
CREATE SCHEMA gpucompact_bench;
SET search_path = gpucompact_bench;

CREATE EXTENSION IF NOT EXISTS gpucompact;
DO $$
DECLARE
    peer name;
BEGIN
    FOR peer IN SELECT name FROM pg_available_extensions
                WHERE name IN ('intarray', 'aggs_for_arrays') LOOP
        BEGIN
            EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I', peer);
        EXCEPTION WHEN undefined_file THEN
            -- Its control file is there, but its library is not.
            RAISE WARNING 'not measured: %: %', peer, SQLERRM;
        END;
    END LOOP;
END $$;

-- A call on this table opens an engine and does next to nothing.
CREATE TABLE smallest AS SELECT ARRAY[2, 0, 1] AS a;

-- Milliseconds that a query takes on an engine.  With "settle", it runs that long
-- to fill the caches and the process's memory, and then as long again to be timed.
CREATE FUNCTION ms(engine text, query text, settle integer)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz;
    passes integer;
    taken double precision;
BEGIN
    PERFORM set_config('gpucompact.engine', engine, false);
    FOR timed IN (settle = 0)::integer..1 LOOP
        started := clock_timestamp();
        passes := 0;
        LOOP
            EXECUTE query;
            passes := passes + 1;
            taken := extract(epoch FROM clock_timestamp() - started) * 1000;
            EXIT WHEN taken >= settle;
        END LOOP;
    END LOOP;
    RETURN round((taken / passes)::numeric, 6);
END $$;

-- Repairs UTF-8 as one would by hand, since core has no function for it: it goes
-- from character to character, and replaces each invalid byte.
CREATE FUNCTION repair_loop(b bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text := '';
    i integer := 0;
    lead integer;
    width integer;
BEGIN
    WHILE i < length(b) LOOP
        lead := get_byte(b, i);
        width := CASE WHEN lead < 192 THEN 1 WHEN lead < 224 THEN 2
                      WHEN lead < 240 THEN 3 ELSE 4 END;
        BEGIN
            result := result || convert_from(substr(b, i + 1, width), 'UTF8');
            i := i + width;
        EXCEPTION WHEN character_not_in_repertoire THEN
            result := result || chr(65533);
            i := i + 1;
        END;
    END LOOP;
    RETURN result;
END $$;
