package io.sluice.rdma.memory;

import java.io.IOException;
import java.nio.file.Path;

/** The same with a descriptor for each call. */
class SharedFileForEachCallTest extends SharedFileTest {
  @Override
  SharedFile open(Path path) throws IOException {
    return SharedFile.openForEachCall(path);
  }
}
