package io.sluice.spark.engine;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import scala.Function0;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/**
 * The frame of a page in Spark's UI. The last arguments of Spark's method are flags, and 4.2 has
 * more of them than 4.0 and 4.1.
 *
 * <p>Thread contract: immutable.
 */
public final class UiShims {
  private static final Method PAGE =
      Arrays.stream(UIUtils.class.getMethods())
          .filter(method -> method.getName().equals("headerSparkPage"))
          .findAny()
          .orElseThrow(() -> new LinkageError("this Spark has no UIUtils.headerSparkPage"));

  private UiShims() {}

  /** A page of a tab, with this content. */
  @SuppressWarnings("unchecked")
  public static Seq<Node> page(
      HttpServletRequest request, String title, Seq<Node> content, SparkUITab tab) {
    Function0<Seq<Node>> later = () -> content;
    List<Object> arguments = new ArrayList<>(List.of(request, title, later, tab, Option.empty()));
    while (arguments.size() < PAGE.getParameterCount()) {
      arguments.add(false);
    }
    try {
      return (Seq<Node>) PAGE.invoke(null, arguments.toArray());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new LinkageError(PAGE + " failed", e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError(PAGE + " is not accessible in this Spark", e);
    }
  }
}
