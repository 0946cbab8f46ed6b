package io.sluice.memory.fs.suites;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/**
 * What Hadoop's contract suites test: the file system as users get it, in a namespace of theirs.
 */
final class SluiceContract extends AbstractFSContract {
  private static final URI ROOT = URI.create("sluice://contract/");

  SluiceContract(Configuration conf) {
    super(conf);
    addConfResource("contract/sluice.xml");
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(ROOT, getConf());
  }

  @Override
  public String getScheme() {
    return ROOT.getScheme();
  }

  @Override
  public Path getTestPath() {
    return new Path(ROOT.resolve("/test"));
  }
}
