/**
 * The collector of a map task: it keeps records outside the heap, sorts an index of them, writes
 * runs once, and merges them if that pays. {@link io.sluice.mapreduce.map.MapPlan} is where to
 * begin.
 */
package io.sluice.mapreduce.map;
