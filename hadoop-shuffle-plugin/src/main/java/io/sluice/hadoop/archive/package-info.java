/**
 * Archives of the classes that containers load, so that a task's JVM starts in half the processor
 * time: made by a command on each node, used by JVM options of a job.
 */
package io.sluice.hadoop.archive;
