package io.sluice.node.service;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;

/**
 * What went through the bounce buffers of one transport, at one moment.
 *
 * @param reads ranges copied into a slot
 * @param bytes their bytes
 * @param refusals requests turned away because no slot came free
 * @param slotsInUse slots that readers hold now
 * @param peakSlotsInUse most slots ever held at once
 * @param registeredBytes memory registered for them
 * @param served how long ranges took to be in a slot, the wait for a free one included
 */
public record BounceCounters(
    long reads,
    long bytes,
    long refusals,
    int slotsInUse,
    int peakSlotsInUse,
    long registeredBytes,
    WaitCounts served) {}
