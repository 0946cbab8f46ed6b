/** Attempts of tasks, and their connection to Hadoop's task code. */
package io.sluice.local.task;
