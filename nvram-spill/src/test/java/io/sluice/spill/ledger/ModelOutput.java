package io.sluice.spill.ledger;

/** A committed output of a {@link LedgerModel}. */
record ModelOutput(long number, long bytes, long failedUntilMs) {}
