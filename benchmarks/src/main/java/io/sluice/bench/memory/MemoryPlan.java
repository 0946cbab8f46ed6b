package io.sluice.bench.memory;

import io.sluice.it.limit.ResourceGroup.DeviceRate;
import java.util.List;
import java.util.Optional;

/**
 * The options of the bench.
 *
 * @param sizeBytes input of Sort, from which that of the others follows
 * @param rounds how often each variant runs in each memory
 * @param workloads which
 * @param fractions memories for the shuffle, as shares of what is shuffled
 * @param shuffleRate the bound of the shuffle's device; as fast as the disk is if empty
 * @param filesRate the bound of the distributed file system's device, likewise
 */
public record MemoryPlan(
    long sizeBytes,
    int rounds,
    List<MemoryWorkload> workloads,
    List<Double> fractions,
    Optional<DeviceRate> shuffleRate,
    Optional<DeviceRate> filesRate) {}
