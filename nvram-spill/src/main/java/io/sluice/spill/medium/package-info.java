/** How bytes reach the memory tier of a pool, and when they are safe there. */
package io.sluice.spill.medium;
