package io.sluice.rdma.memory;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and sockets this process may have open ({@code ulimit -n}). */
public final class OpenFilesLimit {
  private OpenFilesLimit() {}

  /** The part of them that is one in {@code shares}; at most {@link Integer#MAX_VALUE}. */
  public static int share(int shares) {
    long mostOpen =
        ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
            .getMaxFileDescriptorCount();
    return (int) Math.min(mostOpen / shares, Integer.MAX_VALUE);
  }
}
