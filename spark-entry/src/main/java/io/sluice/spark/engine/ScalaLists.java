package io.sluice.spark.engine;

import java.util.List;
import java.util.function.Consumer;
import scala.collection.Iterator;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.Nil$;

/**
 * Conversions between Java's and Scala's collections. Scala's own have other names in 2.12, which
 * Spark 3.5 may run on, than in 2.13.
 *
 * <p>Thread contract: stateless.
 */
public final class ScalaLists {
  private ScalaLists() {}

  /** Scala's list of the same elements. */
  @SuppressWarnings("unchecked")
  public static <T> scala.collection.immutable.List<T> of(List<? extends T> elements) {
    scala.collection.immutable.List<T> list =
        (scala.collection.immutable.List<T>) (scala.collection.immutable.List<?>) Nil$.MODULE$;
    for (int i = elements.size() - 1; i >= 0; i--) {
      list = new $colon$colon<>(elements.get(i), list);
    }
    return list;
  }

  /** Gives the rest of an iterator's elements away, one by one. */
  public static <T> void forEach(Iterator<T> elements, Consumer<? super T> each) {
    while (elements.hasNext()) {
      each.accept(elements.next());
    }
  }
}
