package io.sluice.local.cache;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.filecache.DistributedCache;

/**
 * A file or an archive of a job's distributed cache that has been copied to this machine.
 *
 * @param link what its job calls it; the contents of a directory if that ends with a wildcard
 * @param sourcePath its path where it was copied from, without the file system
 * @param isArchive whether it was unpacked
 * @param local the copy
 */
@SuppressWarnings("deprecation") // the wildcard's name
record CacheFile(String link, String sourcePath, boolean isArchive, Path local) {
  /** Where copies lie in a local directory of the job. */
  static final String DIRECTORY = "sluice-cache";

  private boolean isWildcard() {
    return link.equals(DistributedCache.WILDCARD) || link.endsWith("/" + DistributedCache.WILDCARD);
  }

  /** What tasks find in their working directory, by name. */
  Map<String, Path> links() throws IOException {
    if (!isWildcard()) {
      return Map.of(link, local);
    }
    Map<String, Path> links = new LinkedHashMap<>();
    try (DirectoryStream<Path> children = Files.newDirectoryStream(local)) {
      children.forEach(child -> links.put(child.getFileName().toString(), child));
    }
    return links;
  }

  /** The copy of what lies at such a path, if that is this or in this; else null. */
  Path localOf(org.apache.hadoop.fs.Path source) {
    String path = source.toUri().getPath();
    if (path.equals(sourcePath)) {
      return local;
    }
    boolean isIn = isWildcard() && path.equals(sourcePath + "/" + source.getName());
    return isIn ? local.resolve(source.getName()) : null;
  }
}
