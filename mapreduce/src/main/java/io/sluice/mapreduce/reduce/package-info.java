/** Merging of the runs of a partition as a stream, with rounds if there are too many. */
package io.sluice.mapreduce.reduce;
