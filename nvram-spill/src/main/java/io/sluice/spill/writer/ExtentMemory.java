package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.Extent;
import java.io.IOException;

/**
 * How a writer gets at an extent of the memory tier: by a mapping of its own in a task's process,
 * or in the process of the store through the mapping that is there already, which saves mapping it,
 * its page faults, and counting its pages twice.
 */
public interface ExtentMemory {
  /** The extent for reading and writing; the writer closes what it gets. */
  Mapping open(Extent extent) throws IOException;
}
