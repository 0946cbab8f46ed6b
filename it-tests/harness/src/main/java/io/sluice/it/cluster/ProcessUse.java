package io.sluice.it.cluster;

/**
 * What processes have taken, those too that they started and that have ended.
 *
 * @param cpuMs processor time
 * @param writtenBytes to files on disks, whether the kernel has written them out yet or not
 */
public record ProcessUse(long cpuMs, long writtenBytes) {
  static final ProcessUse NONE = new ProcessUse(0, 0);

  /** This and something else. */
  public ProcessUse plus(ProcessUse other) {
    return new ProcessUse(cpuMs + other.cpuMs, writtenBytes + other.writtenBytes);
  }

  /** What came to it since then. */
  public ProcessUse since(ProcessUse before) {
    return new ProcessUse(cpuMs - before.cpuMs, writtenBytes - before.writtenBytes);
  }
}
