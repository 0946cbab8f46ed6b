package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.Map;

/**
 * A moment of a store.
 *
 * @param memory the memory tier
 * @param disk the disk tier
 * @param outputs how many outputs can be found
 * @param overflows leases so far that the memory tier could not grant alone
 * @param refusals leases so far that no tier could grant
 * @param segmentFailures how many times a segment of the memory tier could not be made
 * @param handOvers segments of the memory tier so far that were taken from their owner for another
 * @param damagedSegments segments so far that their owners had cut or made longer
 * @param forgedOutputs outputs that lay in another owner's segments at the recovery
 * @param failedDirectories directories of the disk tier that are left out now, because they failed
 * @param memorySegmentsOfUsers how many segments of the memory tier each user has, of whatever is
 *     in them
 * @param copies copies on disk of outputs that lie in memory
 * @param diskBytesOfUsers of the disk tier, by each user's leases, outputs and copies
 * @param diskShareRefusals how often each user was refused room on the disk tier that is kept for
 *     users or applications that hold less
 * @param outputsOfUsers how many outputs each user has
 * @param diskFilesOfUsers how many files of the disk tier each user has
 * @param heapShareRefusals how often each user's tasks were refused something for lack of heap
 */
public record StoreStats(
    TierStats memory,
    TierStats disk,
    int outputs,
    long overflows,
    long refusals,
    long segmentFailures,
    long handOvers,
    long damagedSegments,
    long forgedOutputs,
    int failedDirectories,
    Map<Owner, Long> memorySegmentsOfUsers,
    CopyStats copies,
    Map<Owner, Long> diskBytesOfUsers,
    Map<Owner, Long> diskShareRefusals,
    Map<Owner, Long> outputsOfUsers,
    Map<Owner, Long> diskFilesOfUsers,
    Map<Owner, Long> heapShareRefusals) {}
