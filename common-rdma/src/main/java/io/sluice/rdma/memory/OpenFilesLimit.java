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
    return (int) Math.max(0, Math.min((all() - open()) / shares, Integer.MAX_VALUE));
  }

  /** As many as there may be, where not even a list of them can be opened. */
  private static long open() {
    try {
      return system().getOpenFileDescriptorCount();
    } catch (InternalError e) {
      return all();
    }
  }

  private static UnixOperatingSystemMXBean system() {
    return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
  }
}
