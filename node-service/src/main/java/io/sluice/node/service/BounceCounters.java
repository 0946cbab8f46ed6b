package io.sluice.node.service;

/**
 * What went through the bounce buffers of one transport, at one moment.
 *
 * @param reads ranges copied into a slot
 * @param bytes their bytes
 * @param refusals requests turned away because no slot came free
 * @param slotsInUse slots that readers hold now
 * @param peakSlotsInUse most slots ever held at once
 * @param registeredBytes memory registered for them
 */
public record BounceCounters(
    long reads,
    long bytes,
    long refusals,
    int slotsInUse,
    int peakSlotsInUse,
    long registeredBytes) {}
