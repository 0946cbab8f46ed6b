package io.sluice.it.limit;

import java.util.List;

/**
 * Processes whose memory, page cache included, is bounded together, and that are measured together.
 *
 * <p>Lies below the group that this process is in, so nothing leaves what the machine's owner put
 * it in. A process enters as it starts, by {@link #enter}; its children inherit.
 *
 * <p>Thread contract: {@link #use} and {@link #memory} from any thread, the rest from one. Who made
 * it closes it, before the volumes that its processes use: closing kills what is left of them. What
 * the kernel refuses is a {@link LimitException} with the file.
 */
public interface ResourceGroup extends AutoCloseable {

  /** Which of the kernel's mechanisms it is, for the head of a result. */
  String title();

  /** What a command begins with so that its process is in the group from the start. */
  List<String> enter();

  /**
   * Bounds the memory of all of them together; what is beyond is reclaimed, or its owner killed.
   */
  void limitMemory(long bytes);

  /**
   * Bounds a block device, which must be used by nobody but this group: cgroup v1 can bound it for
   * the whole machine only.
   *
   * @param device its numbers, such as 7:0
   */
  void limitDevice(String device, DeviceRate rate);

  GroupUse use();

  GroupMemory memory();

  @Override
  void close();
}
