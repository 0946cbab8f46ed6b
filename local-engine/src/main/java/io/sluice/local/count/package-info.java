/**
 * What each task has used, although tasks share a process: Hadoop's own task code reads counts of
 * the whole process.
 */
package io.sluice.local.count;
