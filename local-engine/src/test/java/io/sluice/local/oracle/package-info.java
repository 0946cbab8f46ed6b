/** Jobs of every kind on stock's LocalJobRunner and in this engine: nobody sees which it was. */
package io.sluice.local.oracle;
