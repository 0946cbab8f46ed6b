package io.sluice.local.loader;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Manifest;

/**
 * The class files of a class loader, in the form in which slots define them. Each file is found,
 * read and rewritten once, however many slots define its class. Files of the client's class loader
 * stay for its next job.
 *
 * <p>Thread contract: safe from any thread; two threads may both read the same file. Ownership:
 * files stay in the heap until it is short, or until their class loader ends. A file is read again
 * if its length or time has changed, or that of its jar. Classes that are not in local files count
 * as unchanged, and so do those of a deleted jar, because class loaders keep jars open. Failure:
 * {@link IOException} for a file that cannot be read.
 */
final class ClassFiles {
  private static final Map<ClassLoader, ClassFiles> OF_LOADERS = new WeakHashMap<>();

  private final WeakReference<ClassLoader> loader; // weak, because it is a key of the map
  private final ClassFiles first; // null if the loader decides the order
  private final Map<String, SoftReference<ClassFile>> found = new ConcurrentHashMap<>();
  private final Map<SourceKey, Source> sources = new ConcurrentHashMap<>();

  private ClassFiles(ClassLoader loader, ClassFiles first) {
    this.loader = new WeakReference<>(loader);
    this.first = first;
  }

  /** A jar or directory of a class loader. */
  static final class Source {
    private final URL url;
    private final Manifest manifest;

    private Source(URL url, Manifest manifest) {
      this.url = url;
      this.manifest = manifest;
    }

    /** The URL of the jar or directory, which programs may ask for. */
    URL url() {
      return url;
    }

    /** The manifest of the jar, or null. */
    Manifest manifest() {
      return manifest;
    }
  }

  /**
   * A class in the form in which slots define it.
   *
   * @param bytes must not be changed
   * @param version null if it is in no local file
   */
  record ClassFile(byte[] bytes, Source source, Version version) {
    private boolean isCurrent() {
      return version == null || version.isCurrent();
    }
  }

  /**
   * The state of a class's file when it was read.
   *
   * @param file the class file or its jar
   */
  record Version(File file, boolean isJar, long lengthBytes, long modifiedMs) {
    private static Version of(File file, boolean isJar) {
      return new Version(file, isJar, file.length(), file.lastModified());
    }

    private boolean isCurrent() {
      long nowMs = file.lastModified();
      return (nowMs == modifiedMs && file.length() == lengthBytes) || (isJar && nowMs == 0);
    }
  }

  /**
   * The key of a source and its version.
   *
   * @param jar null if it is no local jar
   */
  private record SourceKey(String url, Version jar) {}

  /** The class files of a loader; the caller must keep the loader alive. */
  static ClassFiles of(ClassLoader loader) {
    synchronized (OF_LOADERS) {
      ClassFiles known = OF_LOADERS.get(loader);
      if (known == null) {
        // Only Java's own loader is known to ask its parent first.
        boolean asksParent =
            loader.getClass() == URLClassLoader.class && loader.getParent() != null;
        known = new ClassFiles(loader, asksParent ? of(loader.getParent()) : null);
        OF_LOADERS.put(loader, known);
      }
      return known;
    }
  }

  /** The file of a class, or null. */
  ClassFile find(String className) throws IOException {
    SoftReference<ClassFile> kept = found.get(className);
    ClassFile file = kept == null ? null : kept.get();
    if (file == null || !file.isCurrent()) {
      file = first == null ? null : first.find(className);
      if (file == null) {
        file = read(className);
      }
      if (file != null) {
        found.put(className, new SoftReference<>(file));
      }
    }
    return file;
  }

  private ClassFile read(String className) throws IOException {
    ClassLoader from = loader.get();
    String path = className.replace('.', '/') + ".class";
    URL url = first == null ? from.getResource(path) : ((URLClassLoader) from).findResource(path);
    if (url == null) {
      return null;
    }
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false); // else a deleted jar of a job would stay open
    Version version = version(url, connection); // before it is read
    try (InputStream in = connection.getInputStream()) {
      byte[] bytes = ProcessCalls.replaced(in.readAllBytes());
      return new ClassFile(bytes, source(url, connection, className, version), version);
    }
  }

  private static Version version(URL url, URLConnection connection) {
    boolean isInJar = connection instanceof JarURLConnection;
    File file = FileUrls.file(isInJar ? ((JarURLConnection) connection).getJarFileURL() : url);
    return file == null ? null : Version.of(file, isInJar);
  }

  private Source source(URL url, URLConnection connection, String className, Version version)
      throws IOException {
    long packages = className.chars().filter(each -> each == '.').count();
    boolean isInJar = connection instanceof JarURLConnection;
    URL at =
        isInJar
            ? ((JarURLConnection) connection).getJarFileURL()
            : new URL(url, packages == 0 ? "." : "../".repeat((int) packages));
    SourceKey key = new SourceKey(at.toExternalForm(), isInJar ? version : null);
    Source known = sources.get(key);
    if (known == null) {
      Source read = new Source(at, isInJar ? ((JarURLConnection) connection).getManifest() : null);
      known = sources.putIfAbsent(key, read);
      known = known == null ? read : known;
    }
    return known;
  }

  /**
   * Converts URLs of classes to files, as Java does. Many of these URLs are not valid URIs, because
   * {@code File.toURL()} does not escape.
   *
   * <p>Thread contract: stateless.
   */
  static final class FileUrls {
    private FileUrls() {}

    /**
     * The file of a URL.
     *
     * @return null if it is no local file
     * @throws IllegalArgumentException if the URL is malformed
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
}
