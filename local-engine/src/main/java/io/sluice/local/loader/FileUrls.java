package io.sluice.local.loader;

import java.io.File;
import java.net.URL;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Files that URLs of classes name, as Java finds them. Many such URLs are no URIs: those of {@code
 * File.toURL()} are not escaped.
 *
 * <p>Thread contract: stateless.
 */
final class FileUrls {
  private FileUrls() {}

  /**
   * The one that a URL names.
   *
   * @return null if it is not of this host's files
   * @throws IllegalArgumentException if it names nothing
   */
  static File file(URL url) {
    boolean isOfThisHost =
        url.getProtocol().equals("file")
            && (url.getHost().isEmpty() || url.getHost().equalsIgnoreCase("localhost"));
    return isOfThisHost
        ? new File(URLDecoder.decode(url.getPath().replace("+", "%2B"), StandardCharsets.UTF_8))
        : null;
  }
}
