package io.sluice.memory.fs.suites;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Hadoop's older suites of {@link FileSystem}. */
class FileSystemTest {
  private static final String NO_PERMISSIONS =
      "permissions are kept and shown, and forbid nothing: the process has one user";

  private static FileSystem newFileSystem(String authority) throws IOException {
    return FileSystem.newInstance(URI.create("sluice://" + authority + "/"), new Configuration());
  }

  @Nested
  class Contract extends FileSystemContractBaseTest {
    @BeforeEach
    void open() throws IOException {
      fs = newFileSystem("base");
    }

    @Override
    protected boolean rootDirTestEnabled() {
      return true;
    }
  }

  @Nested
  class MainOperations extends FSMainOperationsBaseTest {
    @Override
    protected FileSystem createFileSystem() throws IOException {
      return newFileSystem("main");
    }

    @Override
    @Test
    @Disabled(NO_PERMISSIONS)
    public void testListStatusThrowsExceptionForUnreadableDir() {}

    @Override
    @Test
    @Disabled(NO_PERMISSIONS)
    public void testGlobStatusThrowsExceptionForUnreadableDir() {}

    @Override
    protected Path getDefaultWorkingDirectory() {
      return fSys.makeQualified(new Path("/user/" + System.getProperty("user.name")));
    }
  }
}
