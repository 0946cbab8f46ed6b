/** What a task may take of its process's memory. */
package io.sluice.mapreduce.memory;
