/** Runs the ledger of a memory tier: with a lock, a clock and a thread that moves outputs. */
package io.sluice.spill.memory;
