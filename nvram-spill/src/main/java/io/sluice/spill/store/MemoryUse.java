package io.sluice.spill.store;

/** What a lease takes blocks of the memory tier for. */
public enum MemoryUse {
  /** An output that is being written, and may be committed where it lies. */
  WRITING,
  /** Chunks of a sort buffer, which nobody else ever reads. */
  SORT,
  /** What a task has received and keeps until it is merged; the first to be wanted back. */
  RECEIVE
}
