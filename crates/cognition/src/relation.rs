//! Relations: how two memories belong together, and which are let go first.
