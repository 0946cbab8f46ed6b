/**
 * How a map task collects: records off the heap, an index of them sorted, runs written once and
 * merged where that pays. {@link io.sluice.mapreduce.map.MapPlan} is where to begin.
 */
package io.sluice.mapreduce.map;
