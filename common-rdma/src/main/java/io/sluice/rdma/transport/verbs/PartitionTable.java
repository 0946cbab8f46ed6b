package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The partition keys of a port, as {@code /sys/class/infiniband} shows them. A partition has 15
 * bits; the highest bit of a key says that the port is a full member. Ports that are limited
 * members do not reach each other.
 *
 * <p>Thread contract: immutable; reads {@code /sys} at every call. Failure: {@link IOException}
 * from reading it.
 */
final class PartitionTable {
  private static final int FULL_MEMBER = 0x8000;
  private static final int PARTITION = 0x7FFF;

  private final Path directory;

  /**
   * The table of one port.
   *
   * @param directory {@code pkeys} of the port
   */
  PartitionTable(Path directory) {
    this.directory = directory;
  }

  /**
   * The index of a key, with full membership if the port has it. The index of the default key is 0,
   * whatever is there.
   */
  OptionalInt find(int key) throws IOException {
    if (key == VerbsNetwork.DEFAULT_PARTITION_KEY) {
      return OptionalInt.of(0);
    }
    int partition = key & PARTITION;
    OptionalInt limited = OptionalInt.empty();
    Path entry = entry(0);
    for (int index = 0; partition != 0 && Files.exists(entry); entry = entry(++index)) {
      int found = Integer.decode(Files.readString(entry).strip()); // 0 for a free entry
      if ((found & PARTITION) == partition) {
        if ((found & FULL_MEMBER) != 0) {
          return OptionalInt.of(index);
        }
        limited = OptionalInt.of(index);
      }
    }
    return limited;
  }

  /** The end of a message about a port that does not have a key: the key and the remedy. */
  static String missing(int key) {
    return "partition key 0x%04x; have the subnet manager add it, or set another one for the service"
        .formatted(key);
  }

  private Path entry(int index) {
    return directory.resolve(Integer.toString(index));
  }
}
