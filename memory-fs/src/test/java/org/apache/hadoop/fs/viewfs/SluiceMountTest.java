package org.apache.hadoop.fs.viewfs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemTestHelper;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Hadoop's suites of mounts, over directories of {@code sluice:}. They keep what they test where
 * only this package sees it.
 */
class SluiceMountTest {
  private static final String ROOT = "/test";
  private static final String GOES_ON =
      "one that was closed goes on, as LocalFileSystem does, which these tests excuse by its name";

  @Nested
  class OfFileSystem extends ViewFileSystemBaseTest {
    @Override
    protected FileSystemTestHelper createFileSystemHelper() {
      return new FileSystemTestHelper(ROOT);
    }

    /** As of the local file system: the home is not below what is mounted. */
    @Override
    Path getTrashRootInFallBackFS() throws IOException {
      String user = UserGroupInformation.getCurrentUser().getShortUserName();
      return new Path("/" + FileSystem.TRASH_PREFIX, user);
    }

    @Override
    @Test
    @Disabled(GOES_ON)
    public void testCloseChildrenFileSystem() {}

    @Override
    @Test
    @Disabled(GOES_ON)
    public void testViewFileSystemInnerCache() {}

    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fsTarget = FileSystem.get(URI.create("sluice://mounts/"), new Configuration());
      super.setUp();
    }

    @AfterEach
    @Override
    public void tearDown() throws Exception {
      fsTarget.delete(fileSystemTestHelper.getTestRootPath(fsTarget), true);
      super.tearDown();
    }
  }

  @Nested
  class OfFileContext extends ViewFsBaseTest {
    @Override
    protected FileContextTestHelper createFileContextHelper() {
      return new FileContextTestHelper(ROOT);
    }

    @BeforeEach
    @Override
    public void setUp() throws Exception {
      FileSystem.getFileSystemClass("sluice", new Configuration());
      fcTarget = FileContext.getFileContext(URI.create("sluice://contexts/"), new Configuration());
      super.setUp();
    }

    @AfterEach
    @Override
    public void tearDown() throws Exception {
      fcTarget.delete(fileContextTestHelper.getTestRootPath(fcTarget), true);
      super.tearDown();
    }
  }
}
