/**
 * The map side: records collected off heap in the run format, and sorted through an index.
 *
 * <p>Start at {@link io.sluice.spill.sort.RecordBuffer}.
 */
package io.sluice.spill.sort;
