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
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Manifest;

/**
 * The class files that a class loader finds, as slots define them: each is looked for and read
 * once, and its calls that concern the process are replaced once, however many slots define a class
 * of it. Those of the client's class loader stay for its next job.
 *
 * <p>Thread contract: safe from any thread; two that ask for the same file may both read it.
 * Ownership: files stay in the heap until it is short, or until their class loader goes. A file is
 * read again if its length or time has changed, or that of its jar. What is not of this host's
 * files is taken to stay as it is, and so are classes of a jar that has gone: class loaders keep
 * jars open. Failure: {@link IOException} of a file that cannot be read.
 */
final class ClassFiles {
  private static final Map<ClassLoader, ClassFiles> OF_LOADERS = new WeakHashMap<>();

  private final WeakReference<ClassLoader> loader; // weak, as it is a key there
  private final ClassFiles first; // null: the loader knows its order itself
  private final Map<String, SoftReference<ClassFile>> found = new ConcurrentHashMap<>();
  private final Map<PlaceKey, Place> places = new ConcurrentHashMap<>();

  private ClassFiles(ClassLoader loader, ClassFiles first) {
    this.loader = new WeakReference<>(loader);
    this.first = first;
  }

  /** Where class files come from; there is one for each jar or directory of a class loader. */
  static final class Place {
    private final URL url;
    private final Manifest manifest;

    private Place(URL url, Manifest manifest) {
      this.url = url;
      this.manifest = manifest;
    }

    /** Of the jar or directory, which programs ask for. */
    URL url() {
      return url;
    }

    /** That of the jar; null if there is none. */
    Manifest manifest() {
      return manifest;
    }
  }

  /**
   * A class as a slot defines it.
   *
   * @param bytes not to be changed
   * @param version null if it is not of this host's files
   */
  record ClassFile(byte[] bytes, Place place, Version version) {
    private boolean isCurrent() {
      return version == null || version.isCurrent();
    }
  }

  /**
   * What a class was read from, as it was then.
   *
   * @param file its own, or the jar
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
   * A place as it was.
   *
   * @param jar null if it is none of this host's
   */
  private record PlaceKey(String url, Version jar) {}

  /** Those that a class loader finds, which its owner must keep meanwhile. */
  static ClassFiles of(ClassLoader loader) {
    synchronized (OF_LOADERS) {
      ClassFiles known = OF_LOADERS.get(loader);
      if (known == null) {
        // Others than Java's own may look into their own jars first.
        boolean asksParent =
            loader.getClass() == URLClassLoader.class && loader.getParent() != null;
        known = new ClassFiles(loader, asksParent ? of(loader.getParent()) : null);
        OF_LOADERS.put(loader, known);
      }
      return known;
    }
  }

  /** That of a class, or null if there is none. */
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
    connection.setUseCaches(false); // or a job's jar would stay open when it is deleted
    Version version = version(url, connection); // before it is read
    try (InputStream in = connection.getInputStream()) {
      byte[] bytes = ProcessCalls.replaced(in.readAllBytes());
      return new ClassFile(bytes, place(url, connection, className, version), version);
    }
  }

  private static Version version(URL url, URLConnection connection) {
    boolean isInJar = connection instanceof JarURLConnection;
    File file = FileUrls.file(isInJar ? ((JarURLConnection) connection).getJarFileURL() : url);
    return file == null ? null : Version.of(file, isInJar);
  }

  private Place place(URL url, URLConnection connection, String className, Version version)
      throws IOException {
    long packages = className.chars().filter(each -> each == '.').count();
    boolean isInJar = connection instanceof JarURLConnection;
    URL at =
        isInJar
            ? ((JarURLConnection) connection).getJarFileURL()
            : new URL(url, packages == 0 ? "." : "../".repeat((int) packages));
    PlaceKey key = new PlaceKey(at.toExternalForm(), isInJar ? version : null);
    Place known = places.get(key);
    if (known == null) {
      Place read = new Place(at, isInJar ? ((JarURLConnection) connection).getManifest() : null);
      known = places.putIfAbsent(key, read);
      known = known == null ? read : known;
    }
    return known;
  }
}
