/**
 * The programs of "Can Non-Volatile Memory Benefit MapReduce Applications on HPC Clusters?"
 * (RMR-NVM) on YARN: its Tables I and II and its Figure 5 with our numbers.
 */
package io.sluice.bench.rmr;
