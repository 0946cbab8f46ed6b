/** Typed, documented settings, whatever the engine keeps them in. */
package io.sluice.node.conf;
