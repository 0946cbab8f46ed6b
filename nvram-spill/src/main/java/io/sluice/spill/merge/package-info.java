/**
 * Sorted runs merged as a stream: the reducer's input, the rounds before it when there are too many
 * runs, and the map side's merge before a combiner.
 *
 * <p>Start at {@link io.sluice.spill.merge.KWayMerge}.
 */
package io.sluice.spill.merge;
