package io.sluice.it.limit;

/**
 * What a group's processes have used and waited for since it was made, those that ended among them.
 *
 * @param cpuUs processor time
 * @param ioSomeUs time in which at least one of them waited for a device
 * @param ioFullUs time in which all that could have run waited for a device
 * @param memorySomeUs time in which at least one of them waited for memory to be reclaimed
 * @param memoryFullUs time in which all that could have run did
 * @param oomKills how many the kernel killed because the memory was short
 */
public record GroupUse(
    long cpuUs, long ioSomeUs, long ioFullUs, long memorySomeUs, long memoryFullUs, long oomKills) {

  /** What came since then. */
  public GroupUse minus(GroupUse earlier) {
    return new GroupUse(
        cpuUs - earlier.cpuUs,
        ioSomeUs - earlier.ioSomeUs,
        ioFullUs - earlier.ioFullUs,
        memorySomeUs - earlier.memorySomeUs,
        memoryFullUs - earlier.memoryFullUs,
        oomKills - earlier.oomKills);
  }
}
