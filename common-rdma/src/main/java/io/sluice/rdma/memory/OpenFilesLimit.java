package io.sluice.rdma.memory;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and sockets this process may have open ({@code ulimit -n}). */
public final class OpenFilesLimit {
  private OpenFilesLimit() {}

  /** All of them. */
  public static long all() {
    return system().getMaxFileDescriptorCount();
  }

  /** The part of them that is one in {@code shares}; at most {@link Integer#MAX_VALUE}. */
  public static int share(int shares) {
    return (int) Math.min(all() / shares, Integer.MAX_VALUE);
  }

  /** The same of those that it may open besides what is open now. */
  public static int shareOfRoom(int shares) {
    long room = all() - system().getOpenFileDescriptorCount();
    return (int) Math.max(0, Math.min(room / shares, Integer.MAX_VALUE));
  }

  private static UnixOperatingSystemMXBean system() {
    return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
  }
}
