package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SourceTypesTest {
  private static final String SOURCE =
      """
      import a; // class No {
      /** interface No { */
      final class Outer {
        String s = "class No { \\" {" + '{' + '"';
        record Inner(Place inHeader) {
          void f() { inInner(); }
        }
        Object o = new Object() { void g() { inAnonymous(); } };
        enum Kind { ONE { void h() { inConstant(); } } }
        void after() { inOuter(); }
      }
      interface Second { void inSecond(); }
      """;

  private static String at(String word) {
    return SourceTypes.at(SOURCE, SOURCE.indexOf(word));
  }

  @Test
  void aPlaceIsInTheInnermostNamedType() {
    assertEquals("", at("import"));
    assertEquals("Inner", at("inHeader"));
    assertEquals("Inner", at("inInner"));
    assertEquals("Outer", at("inAnonymous"));
    assertEquals("Kind", at("inConstant"));
    assertEquals("Outer", at("inOuter"));
    assertEquals("Second", at("inSecond"));
  }
}
