/**
 * Jobs that run inside the cluster for the scenario tests: unmodified MapReduce programs over
 * made-up records, in a jar of their own that knows nothing of Sluice.
 */
package io.sluice.it.jobs;
