package io.sluice.bench.memory;

import io.sluice.it.limit.DeviceRate;
import java.util.List;
import java.util.Optional;

/**
 * What the bench is asked for.
 *
 * @param sizeBytes input of Sort, from which that of the others follows
 * @param rounds how often each variant runs in each memory
 * @param workloads which
 * @param fractions memories for the shuffle, as shares of what is shuffled
 * @param shuffleRate what the shuffle's device may do; as fast as the disk is if empty
 * @param filesRate what the device of the distributed file system may do, likewise
 */
public record MemoryPlan(
    long sizeBytes,
    int rounds,
    List<MemoryWorkload> workloads,
    List<Double> fractions,
    Optional<DeviceRate> shuffleRate,
    Optional<DeviceRate> filesRate) {}
