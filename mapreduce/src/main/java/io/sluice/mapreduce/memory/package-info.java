/** The memory that a task may use in its process. */
package io.sluice.mapreduce.memory;
