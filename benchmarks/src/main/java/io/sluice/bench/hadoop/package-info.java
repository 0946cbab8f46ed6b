/**
 * Jobs on YARN, stock and through Sluice: TeraSort and WordCount, PageRank's chain of jobs, and the
 * programs of "Can Non-Volatile Memory Benefit MapReduce Applications on HPC Clusters?" (RMR-NVM),
 * which have its Tables I and II and its Figure 5 with our numbers.
 */
package io.sluice.bench.hadoop;
