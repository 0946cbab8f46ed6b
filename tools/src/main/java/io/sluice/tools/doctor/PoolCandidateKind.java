package io.sluice.tools.doctor;

/** What a pool can lie on, and what is known of each. */
enum PoolCandidateKind {
  TMPFS("memory (tmpfs)", true),
  HUGETLBFS("memory in huge pages (hugetlbfs)", true),
  DEVICE_DAX("persistent memory as a device (device-DAX)", true),
  DAX_SYNC("persistent memory (fs-DAX with MAP_SYNC)", false),
  DAX("file system with DAX, but without MAP_SYNC", false),
  DISK("disk", false);

  private final String words;
  private final boolean registers;

  PoolCandidateKind(String words, boolean registers) {
    this.words = words;
    this.registers = registers;
  }

  String words() {
    return words;
  }

  /** Whether today's kernels pin its pages for a NIC; see docs/pools.md. */
  boolean registers() {
    return registers;
  }
}
