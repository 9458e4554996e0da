-- gpucompact_benchmark: the algorithms side by side
-- every operation, at both lengths, by the algorithms of the CPU
\pset format unaligned \pset tuples_only on \pset null NULL
SELECT operation, elements, array_agg(algorithm ORDER BY algorithm) AS algorithms
FROM gpucompact_benchmark(1024)
WHERE engine = 'cpu'
GROUP BY operation, elements
ORDER BY operation, elements DESC;

-- several threads do an operation on many elements
SELECT operation, array_agg(DISTINCT algorithm ORDER BY algorithm) AS algorithms
FROM gpucompact_benchmark(600000)
WHERE engine = 'cpu' AND correct
GROUP BY operation
ORDER BY operation;

-- times that are times, and results that are right
SELECT algorithm FROM gpucompact_benchmark(5000)
WHERE NOT correct OR kernel_ms < 0 OR elements_per_s <= 0 OR of_copy <= 0
   OR engine NOT IN ('cpu', 'cuda');

-- the settings are as before
SET gpucompact.engine = cpu;
SET gpucompact.algorithm = sequential;
SELECT count(DISTINCT algorithm) > 1 AS all_algorithms FROM gpucompact_benchmark(100);
SHOW gpucompact.engine;
SHOW gpucompact.algorithm;
RESET gpucompact.engine;
RESET gpucompact.algorithm;

-- lengths that are too short or too long
SELECT gpucompact_benchmark(3);
SELECT gpucompact_benchmark(134217728);
