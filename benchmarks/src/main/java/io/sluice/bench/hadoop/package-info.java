/**
 * TeraSort and WordCount, stock and through Sluice: the jobs that show what Sluice does, and what
 * they cost.
 */
package io.sluice.bench.hadoop;
