/** One attempt at a task, what Hadoop's task code is told, and what it tells. */
package io.sluice.local.task;
