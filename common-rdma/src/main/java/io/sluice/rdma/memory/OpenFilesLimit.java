package io.sluice.rdma.memory;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How many files and sockets this process may have open ({@code ulimit -n}). Thread contract:
 * stateless.
 */
public final class OpenFilesLimit {
  private OpenFilesLimit() {}

  /** The limit. */
  public static long all() {
    return system().getMaxFileDescriptorCount();
  }

  /** The limit divided by {@code shares}; at most {@link Integer#MAX_VALUE}. */
  public static int share(int shares) {
    return (int) Math.min(all() / shares, Integer.MAX_VALUE);
  }

  /** The number of files that it may still open, divided by {@code shares}. */
  public static int shareOfRoom(int shares) {
    return (int) Math.max(0, Math.min((all() - open()) / shares, Integer.MAX_VALUE));
  }

  /** The number of open files; the limit itself if even their list cannot be opened. */
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
