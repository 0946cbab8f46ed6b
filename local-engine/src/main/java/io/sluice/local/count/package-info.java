/**
 * Counters of single tasks that share a process. Hadoop's own task code reads counters of the whole
 * process.
 */
package io.sluice.local.count;
