/**
 * How a reduce task merges the runs of its partition as a stream, in rounds where there are too
 * many.
 */
package io.sluice.mapreduce.reduce;
