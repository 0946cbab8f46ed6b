/** Names of jobs and attempts that are the same in every process. */
package io.sluice.mapreduce.id;
